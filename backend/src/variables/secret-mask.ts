/**
 * Returns the replacement for a masked secret. The name of the secret is in it, so that readers know which one was
 * masked.
 */
export function toSecretMask(name: string): string {
  return `‹secret ${name}›`;
}
