/** Work that can wait, done in slices while the page has nothing else to do. */

type Job = () => void;

const jobs: Job[] = [];
let scheduled = false;

export function whenIdle(job: Job): void {
  jobs.push(job);
  schedule();
}

/** Do all of it now; for tests and for printing. */
export function finishIdleWork(): void {
  while (jobs.length > 0) jobs.shift()?.();
}

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  if (typeof requestIdleCallback === "function")
    requestIdleCallback(work, { timeout: 1000 });
  else setTimeout(work, 30);
}

function work(): void {
  scheduled = false;
  const end = performance.now() + 8;
  while (jobs.length > 0 && performance.now() < end) jobs.shift()?.();
  if (jobs.length > 0) schedule();
}
