/** Thread job that computes for `ms`. Returns its start and end, in ms of the machine's clock. */
export default function spin({ ms }: { ms: number }): { began: number; ended: number } {
  const began = performance.timeOrigin + performance.now();
  let ended = began;
  while (ended - began < ms) ended = performance.timeOrigin + performance.now();
  return { began, ended };
}
