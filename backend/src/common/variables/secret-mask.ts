/**
 * Returns the replacement for a masked secret. It contains the secret's name, so that readers know which one was
 * masked.
 */
export function maskOf(name: string): string {
  return `‹secret ${name}›`;
}
