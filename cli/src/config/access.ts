import { EXIT } from '../exit-codes.ts';
import { type Failure, failure, usage } from '../failure.ts';
import type { ConnectionOptions } from '../client/connection.ts';
import type { Secrets } from '../terminal/secrets.ts';
import type { Surroundings } from '../terminal/surroundings.ts';
import { configPath, readConfig } from './config-file.ts';
import { idTokenSource, KeylessToken } from './keyless.ts';
import { serviceUrl } from './service-url.ts';
import { fixedTokenCredential, tokenFrom } from './token.ts';

type ConnectionSettings = Omit<ConnectionOptions, 'base' | 'credential'>;

/**
 * Returns service and credential: from the environment, otherwise from `runward login`. A stored token is sent only to
 * the address for which it was stored, even if RUNWARD_URL is set.
 */
export async function accessFrom(
  surroundings: Surroundings,
  secrets: Secrets,
  rest: ConnectionSettings,
): Promise<ConnectionOptions> {
  const { env } = surroundings;
  const given = env.RUNWARD_URL ? serviceUrl(env.RUNWARD_URL, 'RUNWARD_URL') : null;
  if (env.RUNWARD_TOKEN) {
    const token = tokenFrom(env.RUNWARD_TOKEN, 'RUNWARD_TOKEN');
    secrets.add(token);
    const base = given ?? (await readConfig(surroundings))?.url;
    if (base === undefined) throw noAddressFailure();
    return { ...rest, base: serviceUrl(base, configPath(surroundings)), credential: fixedTokenCredential(token) };
  }
  if (idTokenSource(env) !== null) {
    if (given === null) throw noAddressFailure();
    const options = { ...rest, base: given };
    return { ...options, credential: new KeylessToken(env, options, secrets) };
  }
  const kept = await readConfig(surroundings);
  if (kept === null) throw given === null ? noAddressFailure() : notSignedInFailure(`No token for ${given}.`);
  secrets.add(kept.token);
  const base = serviceUrl(kept.url, configPath(surroundings));
  if (given !== null && given !== base)
    throw notSignedInFailure(`You are signed in at ${base}, but RUNWARD_URL is ${given}.`);
  return {
    ...rest,
    base,
    credential: fixedTokenCredential(tokenFrom(kept.token, `The token in ${configPath(surroundings)}`)),
  };
}

const noAddressFailure = (): Failure =>
  usage('No service address.', ['Set RUNWARD_URL and RUNWARD_TOKEN, or sign in with `runward login URL`.']);

const notSignedInFailure = (detail: string): Failure =>
  failure('not_signed_in', 'Not signed in', detail, EXIT.usage, [
    'Sign in with `runward login`, or set RUNWARD_TOKEN.',
  ]);
