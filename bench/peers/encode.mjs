// The text workload (W6) written as server-sent events by AG-UI's encoder.
//
//   node encode.mjs WORKLOAD.json SECONDS
import { EventEncoder } from '@ag-ui/encoder'
import { report, workload } from './measure.mjs'

const encoder = new EventEncoder()
const bytes = new TextEncoder()

await report(async (watch) => {
  let done = 0
  await watch.time(() => {
    for (const event of workload) done += bytes.encode(encoder.encodeSSE(event)).length > 0
  })
  return done
})
