// The text workload (W6) written as server-sent events by AG-UI's encoder.
//
//   node encode.mjs WORKLOAD.json SECONDS
import { EventEncoder } from '@ag-ui/encoder'
import { report, workload } from './measure.mjs'

const encoder = new EventEncoder()
const bytes = new TextEncoder()

await report(async (watch) => {
  let frames
  await watch.time(() => {
    frames = workload.map((event) => bytes.encode(encoder.encodeSSE(event)))
  })
  return frames.length
})
