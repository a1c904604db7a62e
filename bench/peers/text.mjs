// The text workloads (W1, W3) on TanStack AI's stream processor.
//
//   node text.mjs PACKAGE MODE WORKLOAD.json
//
// MODE: publish (a subscriber gets the messages after every event; the text is read at
// the end), touch (the text so far is read after every event) or frame (every 50).
// Prints one line of JSON: CPU milliseconds of the best pass, and the length of the text.
import fs from 'node:fs'

const [, , pkg, mode, path] = process.argv
const { StreamProcessor } = await import(pkg)
const { pool, messages, per } = JSON.parse(fs.readFileSync(path, 'utf8'))
const everyRead = { publish: 0, touch: 1, frame: 50 }[mode]
const startsTurns = pkg.endsWith('0.5') // later versions know messages by their id

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

function pass() {
  let seen = []
  let read = 0
  let count = 0
  const processor = new StreamProcessor({
    events: { onMessagesChange: (all) => { seen = all } },
  })
  processor.prepareAssistantMessage?.()
  const feed = (batch) => {
    for (const event of batch) {
      if (startsTurns && event.type === 'TEXT_MESSAGE_START') processor.prepareAssistantMessage()
      processor.processChunk(event)
      if (everyRead && ++count % everyRead === 0 && seen.length) {
        const text = seen[seen.length - 1].parts.at(-1)?.content
        if (text) read += text.length + text.charCodeAt(text.length - 1)
      }
    }
  }
  let spent = 0
  let before
  for (const batch of batches()) {
    before = process.cpuUsage()
    feed(batch)
    const used = process.cpuUsage(before)
    spent += used.user + used.system
  }
  before = process.cpuUsage()
  const text = seen.map((m) => m.parts.map((p) => p.content).join('')).join('')
  const last = text.charCodeAt(text.length - 1) // a rope is only a text once it is read
  const used = process.cpuUsage(before)
  return [(spent + used.user + used.system) / 1000, text.length, read + last]
}

const budget = Date.now() + 6000
let best = Infinity
let length = 0
for (let i = 0; i < 30 && (i < 3 || Date.now() < budget); i++) {
  const [milliseconds, found] = pass()
  best = Math.min(best, milliseconds)
  length = found
}
console.log(JSON.stringify({ milliseconds: best, length }))
