import { usage } from '../terminal/failure.ts';
import type { Credential } from '../client/connection.ts';

const TOKEN_PATTERN = /^runward_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/;

/** Returns the token in user input, without the line end of a file. Errors never quote the input. */
export function parseToken(text: string, from: string): string {
  const token = text.trim();
  if (token === '') throw usage(`${from} is empty.`);
  if (!TOKEN_PATTERN.test(token))
    throw usage(`${from} is not a complete token: a token begins with runward_ and has 71 characters.`, [
      'A token is shown once, when you create it under API tokens.',
    ]);
  return token;
}

/** Returns a credential that cannot be renewed. */
export const fixedTokenCredential = (token: string): Credential => ({
  token: () => Promise.resolve(token),
  renew: () => Promise.resolve(false),
});
