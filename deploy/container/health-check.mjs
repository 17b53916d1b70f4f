/** Ends with 0 when the process of this container is ready; a worker answers at a port of its own. */
const { RUNWARD_ROLE, RUNWARD_PORT, RUNWARD_HEALTH_PORT } = process.env;
const port = RUNWARD_ROLE === 'worker' ? RUNWARD_HEALTH_PORT : RUNWARD_PORT;
try {
  const answer = await fetch(`http://127.0.0.1:${port}/api/health/ready`, { signal: AbortSignal.timeout(2_500) });
  process.exit(answer.ok ? 0 : 1);
} catch {
  process.exit(1);
}
