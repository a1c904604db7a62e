// The snapshots workload (W5) on assistant-ui's tracker.
//
//   node tracker.mjs WORKLOAD.json fresh|shared
//
// Prints one line of JSON: CPU milliseconds, the median of five, and how often the tool
// was told of its call and ran. Making the snapshots is not measured; a turn of the
// loop after each batch is, because the tracker's own pipeline works there.
import fs from 'node:fs'

const [, , path, mode] = process.argv
const TRACKER =
  './node_modules/@assistant-ui/core/dist/runtimes/tool-invocations/ToolInvocationTracker.js'
const { ToolInvocationTracker } = await import(new URL(TRACKER, import.meta.url).href)
const { history, deltas, batch } = JSON.parse(fs.readFileSync(path, 'utf8'))
console.warn = () => {}

function* batches() {
  const text = JSON.stringify(history)
  let argsText = ''
  let snapshots = []
  let messages
  for (const delta of deltas) {
    argsText = Buffer.from(argsText + delta).toString() // flat, as a decoder makes it
    const call = { type: 'tool-call', toolCallId: 'live', toolName: 'write', argsText, args: {} }
    const before = mode === 'fresh' ? JSON.parse(text) : history
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

async function pass() {
  const seen = { opened: 0, ran: 0 }
  const write = {
    parameters: {},
    streamCall: () => void seen.opened++,
    execute: async () => (seen.ran++, { ok: true }),
  }
  const tracker = new ToolInvocationTracker(() => ({ write }), {
    onResult: () => {},
    onStatusesChange: () => {},
  })
  let spent = 0
  for (const snapshots of batches()) {
    const before = process.cpuUsage()
    for (const snapshot of snapshots) tracker.setState(snapshot)
    await turn()
    const used = process.cpuUsage(before)
    spent += (used.user + used.system) / 1000
  }
  return [spent, seen]
}

const spent = []
let seen
for (let i = 0; i < 5; i++) {
  const [milliseconds, found] = await pass()
  spent.push(milliseconds)
  seen = found
}
spent.sort((a, b) => a - b)
console.log(JSON.stringify({ milliseconds: spent[2], ...seen }))
process.exit(0)
