import type { SshAttempt } from '../ssh-errors.js';

interface LoginAttempt {
  type: 'publickey';
  username: string;
  key: string;
}

/** Offers the key once. Omits the round trip for the method "none" and the retry after a refusal. */
export function offerKeyOnce(username: string, key: string): () => LoginAttempt | false {
  const attempts: LoginAttempt[] = [{ type: 'publickey', username, key }];
  return () => attempts.shift() ?? false;
}

/**
 * Records how the host answers login attempts: which accepted methods were not tried, and whether the host accepted the
 * key but requires another method too (RFC 4252, 5.1: partial success).
 * @param next called once per attempt
 */
export function recordLoginMethods<Attempt>(
  attempt: SshAttempt,
  next: () => Attempt,
): (methodsLeft: readonly string[] | null, partialSuccess: boolean | null) => Attempt {
  return (methodsLeft, partialSuccess) => {
    if (methodsLeft) attempt.methodsLeft = methodsLeft;
    if (partialSuccess) attempt.keyAccepted = true;
    return next();
  };
}
