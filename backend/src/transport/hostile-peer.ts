/** The host sent data that an SSH server has no reason to send, beyond the connection's budget. */
export class HostilePeerError extends Error {
  override readonly name = 'HostilePeerError';

  /** @param what subject and verb for a message; must not contain text from the host */
  constructor(readonly what: string) {
    super(what);
  }
}
