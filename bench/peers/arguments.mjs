// The arguments workload (W2) on TanStack AI's stream processor, which parses the
// arguments so far after every delta.
//
//   node arguments.mjs WORKLOAD.json SECONDS PACKAGE
import { args, report, workload } from './measure.mjs'

const { StreamProcessor } = await import(args[0])

function events() {
  const call = { toolCallId: 'c', toolCallName: 'write', toolName: 'write' }
  return [
    { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
    { type: 'TOOL_CALL_START', ...call, parentMessageId: 'm' },
    ...workload.map((delta) => ({ type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta })),
    { type: 'TOOL_CALL_END', toolCallId: 'c' },
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r', finishReason: 'tool_calls' },
  ]
}

await report(async (watch) => {
  const processor = new StreamProcessor({ events: { onMessagesChange: () => {} } })
  processor.prepareAssistantMessage?.()
  const all = events()
  await watch.time(() => {
    for (const event of all) processor.processChunk(event)
  })
  const call = processor.getMessages()[0].parts.find((part) => part.type === 'tool-call')
  return call.arguments.length
})
