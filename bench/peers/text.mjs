// The text workloads (W1, W3) on TanStack AI's stream processor or on AG-UI's client;
// `floor` as PACKAGE only appends.
//
//   node text.mjs WORKLOAD.json SECONDS PACKAGE MODE
//
// MODE: publish (a subscriber gets the messages after every event; the text is read at
// the end), touch (the text so far is read after every event) or frame (every 50).
import { args, report, workload } from './measure.mjs'

const [pkg, mode] = args
const { pool, messages, per } = workload
const everyRead = { publish: 0, touch: 1, frame: 50 }[mode]

function* batches() {
  let batch = [{ type: 'RUN_STARTED', threadId: 't', runId: 'r' }]
  for (let m = 0; m < messages; m++) {
    const messageId = `m${m}`
    batch.push({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' })
    for (let i = 0; i < per; i++) {
      const delta = pool[(m * per + i) % pool.length]
      batch.push({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta })
      if (batch.length >= 2000) {
        yield batch
        batch = []
      }
    }
    batch.push({ type: 'TEXT_MESSAGE_END', messageId })
  }
  batch.push({ type: 'RUN_FINISHED', threadId: 't', runId: 'r', finishReason: 'stop' })
  yield batch
}

async function tanstack() {
  const { StreamProcessor } = await import(pkg)
  const startsTurns = pkg.endsWith('0.5') // later versions know messages by their id
  const textOf = (message) => message.parts.map((part) => part.content).join('')
  return () => {
    let seen = []
    let count = 0
    let read = 0
    const processor = new StreamProcessor({
      events: {
        onMessagesChange: (all) => {
          seen = all
        },
      },
    })
    processor.prepareAssistantMessage?.()
    const feed = (batch) => {
      for (const event of batch) {
        if (startsTurns && event.type === 'TEXT_MESSAGE_START') processor.prepareAssistantMessage()
        processor.processChunk(event)
        if (everyRead && ++count % everyRead === 0 && seen.length) {
          const text = seen[seen.length - 1].parts.at(-1)?.content
          // A rope is only a text once it is read.
          if (text) read += text.length + text.charCodeAt(text.length - 1)
        }
      }
    }
    return [feed, () => seen.map(textOf).join('')]
  }
}

async function agui() {
  const { defaultApplyEvents } = await import(pkg)
  const { Subject } = await import('rxjs')
  const shown = new Set(['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT'])
  return () => {
    let seen = []
    let done = 0
    let wanted = 0
    const source = new Subject()
    const input = { threadId: 't', runId: 'r', messages: [], state: {}, tools: [], context: [] }
    defaultApplyEvents(input, source, { messages: [], state: {} }, [], false).subscribe((change) => {
      if (!change.messages) return
      seen = change.messages
      done++
    })
    const feed = async (batch) => {
      for (const event of batch) {
        if (shown.has(event.type)) wanted++
        source.next(event)
      }
      while (done < wanted) await new Promise((resolve) => setImmediate(resolve))
    }
    return [feed, () => seen.map((message) => message.content).join('')]
  }
}

// The floor: what the language itself needs.
function floor() {
  let text = ''
  const feed = (batch) => {
    for (const event of batch) if (event.type === 'TEXT_MESSAGE_CONTENT') text += event.delta
  }
  return [feed, () => text]
}

const readers = { floor: () => floor, '@ag-ui/client': agui }
const reader = await (readers[pkg] ?? tanstack)()

await report(async (watch) => {
  const [feed, finish] = reader()
  for (const batch of batches()) await watch.time(() => feed(batch))
  let text
  await watch.time(() => {
    text = finish()
    text.charCodeAt(text.length - 1)
  })
  return text.length
})
