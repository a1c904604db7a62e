// What the peers share: the workload from argv, CPU time, and the best of some passes.
//
//   node SCRIPT.mjs WORKLOAD.json SECONDS [ARGUMENTS]
//
// Every script prints one line of JSON: `milliseconds` of its best pass and `done`, by
// which Python sees that the work was done.
import fs from 'node:fs'

const [, , path, seconds, ...rest] = process.argv
export const workload = JSON.parse(fs.readFileSync(path, 'utf8'))
export const args = rest

export class Stopwatch {
  milliseconds = 0

  // Time on all threads, so that collecting garbage counts; but never more than the clock
  // on the wall, because what the compiler does beside the work costs nobody anything.
  async time(work) {
    const cpu = process.cpuUsage()
    const wall = process.hrtime.bigint()
    const found = work()
    if (found?.then) await found
    const waited = Number(process.hrtime.bigint() - wall) / 1e6
    const used = process.cpuUsage(cpu)
    this.milliseconds += Math.min(waited, (used.user + used.system) / 1000)
  }
}

// `pass` gets a stopwatch and gives what it did.
export async function report(pass) {
  const end = Date.now() + Number(seconds) * 1000
  let best = Infinity
  let done
  for (let i = 0; i < 60 && (i < 1 || Date.now() < end); i++) {
    const watch = new Stopwatch()
    done = await pass(watch)
    best = Math.min(best, watch.milliseconds)
  }
  console.log(JSON.stringify({ milliseconds: best, done }))
  process.exit(0)
}
