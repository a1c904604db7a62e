// The snapshots workload (W5) on assistant-ui's tracker.
//
//   node tracker.mjs WORKLOAD.json SECONDS fresh|shared
//
// `done` is how often the tool was told of its call, and ran. Making the snapshots is not
// measured; a turn of the loop after each batch is, because the tracker's own pipeline
// works there.
import { args, report, workload } from './measure.mjs'

const TRACKER =
  './node_modules/@assistant-ui/core/dist/runtimes/tool-invocations/ToolInvocationTracker.js'
const { ToolInvocationTracker } = await import(new URL(TRACKER, import.meta.url).href)
const { history, deltas, batch } = workload
console.warn = () => {}

function* batches() {
  const text = JSON.stringify(history)
  let argsText = ''
  let snapshots = []
  let messages
  for (const delta of deltas) {
    argsText = Buffer.from(argsText + delta).toString() // flat, as a decoder makes it
    const call = { type: 'tool-call', toolCallId: 'live', toolName: 'write', argsText, args: {} }
    const before = args[0] === 'fresh' ? JSON.parse(text) : history
    messages = [...before, { id: 'last', role: 'assistant', content: [call] }]
    snapshots.push({ messages, isRunning: true })
    if (snapshots.length >= batch) {
      yield snapshots
      snapshots = []
    }
  }
  yield [...snapshots, { messages, isRunning: false }]
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

await report(async (watch) => {
  let opened = 0
  let ran = 0
  const write = {
    parameters: {},
    streamCall: () => void opened++,
    execute: async () => (ran++, { ok: true }),
  }
  const tracker = new ToolInvocationTracker(() => ({ write }), {
    onResult: () => {},
    onStatusesChange: () => {},
  })
  for (const snapshots of batches()) {
    await watch.time(async () => {
      for (const snapshot of snapshots) tracker.setState(snapshot)
      await turn()
    })
  }
  return [opened, ran]
})
