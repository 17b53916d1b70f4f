/** What stands instead of a secret wherever people read: it names the secret, so that a reader knows what was there. */
export function maskOf(name: string): string {
  return `‹secret ${name}›`;
}
