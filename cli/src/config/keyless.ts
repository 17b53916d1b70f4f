import { EXIT } from '../terminal/exit-codes.ts';
import { createFailure, type Failure, usage } from '../terminal/failure.ts';
import { Connection, type ConnectionOptions, type Credential, NO_CREDENTIAL } from '../client/connection.ts';
import { toFailure } from '../client/problems.ts';
import type { Secrets } from '../terminal/secrets.ts';
import type { Surroundings } from '../terminal/surroundings.ts';

type Env = Surroundings['env'];

/** Returns the source of the CI job's identity token; null = the environment names none. */
export function findIdTokenSource(env: Env): 'given' | 'github' | null {
  if (env.RUNWARD_OIDC_TOKEN) return 'given';
  return env.RUNWARD_OIDC_AUDIENCE ? 'github' : null;
}

/**
 * Token for this process, exchanged for the identity token of the CI job (OpenID Connect). It is only in memory and
 * valid for at most an hour. A new one replaces it when it expires.
 */
export class KeylessToken implements Credential {
  readonly #env: Env;
  readonly #options: Omit<ConnectionOptions, 'credential'>;
  readonly #secrets: Secrets;
  #token: Promise<string> | null = null;

  constructor(env: Env, options: Omit<ConnectionOptions, 'credential'>, secrets: Secrets) {
    this.#env = env;
    this.#options = options;
    this.#secrets = secrets;
  }

  token(): Promise<string> {
    this.#token ??= this.#exchange();
    return this.#token;
  }

  async renew(): Promise<boolean> {
    this.#token = this.#exchange();
    await this.#token;
    return true;
  }

  async #exchange(): Promise<string> {
    const idToken = (await this.#idToken()).trim();
    this.#secrets.add(idToken);
    const tenant = this.#env.RUNWARD_TENANT;
    const service = new Connection({ ...this.#options, credential: NO_CREDENTIAL });
    const response = await service.send(
      new Request(`${this.#options.base}/api/auth/oidc-exchange`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
        body: JSON.stringify({ token: idToken, ...(tenant ? { tenant } : {}) }),
      }),
    );
    const text = await response.text();
    if (!response.ok) throw toFailure(response, text);
    const { token } = JSON.parse(text) as { token: string };
    this.#secrets.add(token);
    return token;
  }

  async #idToken(): Promise<string> {
    const given = this.#env.RUNWARD_OIDC_TOKEN;
    if (given) return given;
    const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken } = this.#env;
    if (!url || !requestToken || !URL.canParse(url))
      throw usage('RUNWARD_OIDC_AUDIENCE is set, but this job may not request an identity token from GitHub.', [
        'Add `permissions: id-token: write` to the job. On GitLab use id_tokens and RUNWARD_OIDC_TOKEN.',
      ]);
    this.#secrets.add(requestToken);
    const tokenUrl = new URL(url);
    tokenUrl.searchParams.set('audience', this.#env.RUNWARD_OIDC_AUDIENCE ?? '');
    const github = new Connection({
      ...this.#options,
      base: tokenUrl.origin,
      credential: { token: () => Promise.resolve(requestToken), renew: () => Promise.resolve(false) },
    });
    const response = await github.send(new Request(tokenUrl, { headers: { Accept: 'application/json' } }));
    const value = response.ok ? ((await response.json()) as { value?: unknown }).value : undefined;
    if (typeof value !== 'string') throw noIdTokenFailure(response.status);
    return value;
  }
}

const noIdTokenFailure = (status: number): Failure =>
  createFailure(
    'no_identity_token',
    'No identity token',
    `GitHub gave this job no identity token (status ${status}).`,
    EXIT.usage,
    ['Add `permissions: id-token: write` to the job.'],
  );
