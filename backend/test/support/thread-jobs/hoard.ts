/** Thread job that allocates memory until there is none left. */
export default function hoard(): number {
  const kept: number[][] = [];
  for (;;) kept.push(Array.from({ length: 100_000 }, Math.random));
}
