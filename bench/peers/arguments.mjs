// The arguments workload (W2) on TanStack AI's stream processor, which parses the
// arguments so far after every delta.
//
//   node arguments.mjs PACKAGE WORKLOAD.json
//
// Prints one line of JSON: CPU milliseconds of the best pass, and the length of the text.
import fs from 'node:fs'

const [, , pkg, path] = process.argv
const { StreamProcessor } = await import(pkg)
const { deltas } = JSON.parse(fs.readFileSync(path, 'utf8'))

function events() {
  const call = { toolCallId: 'c', toolCallName: 'write', toolName: 'write' }
  return [
    { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
    { type: 'TOOL_CALL_START', ...call, parentMessageId: 'm' },
    ...deltas.map((delta) => ({ type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta })),
    { type: 'TOOL_CALL_END', toolCallId: 'c' },
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r', finishReason: 'tool_calls' },
  ]
}

function pass() {
  const processor = new StreamProcessor({ events: { onMessagesChange: () => {} } })
  processor.prepareAssistantMessage?.()
  const all = events()
  const before = process.cpuUsage()
  for (const event of all) processor.processChunk(event)
  const used = process.cpuUsage(before)
  const call = processor.getMessages()[0].parts.find((part) => part.type === 'tool-call')
  return [(used.user + used.system) / 1000, call.arguments.length]
}

const budget = Date.now() + 6000
let best = Infinity
let length = 0
for (let i = 0; i < 30 && (i < 2 || Date.now() < budget); i++) {
  const [milliseconds, found] = pass()
  best = Math.min(best, milliseconds)
  length = found
}
console.log(JSON.stringify({ milliseconds: best, length }))
