import { EXIT } from '../terminal/exit-codes.ts';
import { type Failure, createFailure, usage } from '../terminal/failure.ts';
import type { ConnectionOptions } from '../client/connection.ts';
import type { Secrets } from '../terminal/secrets.ts';
import type { Surroundings } from '../terminal/surroundings.ts';
import { getConfigPath, readConfig } from './config-file.ts';
import { findIdTokenSource, KeylessToken } from './keyless.ts';
import { parseServiceUrl } from './service-url.ts';
import { fixedTokenCredential, parseToken } from './token.ts';

type ConnectionSettings = Omit<ConnectionOptions, 'base' | 'credential'>;

/**
 * Returns service and credential: from the environment, otherwise from `runward login`. A stored token is sent only to
 * the address for which it was stored, even if RUNWARD_URL is set.
 */
export async function findAccess(
  surroundings: Surroundings,
  secrets: Secrets,
  rest: ConnectionSettings,
): Promise<ConnectionOptions> {
  const { env } = surroundings;
  const given = env.RUNWARD_URL ? parseServiceUrl(env.RUNWARD_URL, 'RUNWARD_URL') : null;
  if (env.RUNWARD_TOKEN) {
    const token = parseToken(env.RUNWARD_TOKEN, 'RUNWARD_TOKEN');
    secrets.add(token);
    const base = given ?? (await readConfig(surroundings))?.url;
    if (base === undefined) throw noAddressFailure();
    return {
      ...rest,
      base: parseServiceUrl(base, getConfigPath(surroundings)),
      credential: fixedTokenCredential(token),
    };
  }
  if (findIdTokenSource(env) !== null) {
    if (given === null) throw noAddressFailure();
    const options = { ...rest, base: given };
    return { ...options, credential: new KeylessToken(env, options, secrets) };
  }
  const kept = await readConfig(surroundings);
  if (kept === null) throw given === null ? noAddressFailure() : notSignedInFailure(`No token for ${given}.`);
  secrets.add(kept.token);
  const base = parseServiceUrl(kept.url, getConfigPath(surroundings));
  if (given !== null && given !== base)
    throw notSignedInFailure(`You are signed in at ${base}, but RUNWARD_URL is ${given}.`);
  return {
    ...rest,
    base,
    credential: fixedTokenCredential(parseToken(kept.token, `The token in ${getConfigPath(surroundings)}`)),
  };
}

const noAddressFailure = (): Failure =>
  usage('No service address.', ['Set RUNWARD_URL and RUNWARD_TOKEN, or sign in with `runward login URL`.']);

const notSignedInFailure = (detail: string): Failure =>
  createFailure('not_signed_in', 'Not signed in', detail, EXIT.usage, [
    'Sign in with `runward login`, or set RUNWARD_TOKEN.',
  ]);
