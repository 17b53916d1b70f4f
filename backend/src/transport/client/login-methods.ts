import type { SshAttempt } from '../ssh-errors.js';

/** One attempt to log in, as the library takes it. */
interface LoginAttempt {
  type: 'publickey';
  username: string;
  key: string;
}

/** The key once: no round trip for the method "none", and nothing after a refusal. */
export function keyOnce(username: string, key: string): () => LoginAttempt | false {
  const attempts: LoginAttempt[] = [{ type: 'publickey', username, key }];
  return () => attempts.shift() ?? false;
}

/**
 * Notes what the host answers to the attempts: which methods it accepts beside those that were tried, and whether it
 * accepted the key and demands another method as well (RFC 4252, 5.1: partial success).
 * @param next asked once for each attempt
 */
export function noteMethods<Attempt>(
  attempt: SshAttempt,
  next: () => Attempt,
): (methodsLeft: readonly string[] | null, partialSuccess: boolean | null) => Attempt {
  return (methodsLeft, partialSuccess) => {
    if (methodsLeft) attempt.methodsLeft = methodsLeft;
    if (partialSuccess) attempt.keyAccepted = true;
    return next();
  };
}
