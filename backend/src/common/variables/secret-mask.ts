/** Returns the replacement for a masked secret. It contains the name of the secret, for readers. */
export function maskOf(name: string): string {
  return `‹secret ${name}›`;
}
