import type { Runward } from './runward.js';

/** Calls the public API as a signed-in user. @throws Error with the response, for every refusal */
export type Call = <T = RecordWithId>(method: string, path: string, body?: object) => Promise<T>;

export interface RecordWithId {
  id: string;
  publicKey?: string;
}

export type Credentials = Pick<Runward, 'email' | 'password'>;

export async function apiOf(runward: Runward, who: Credentials = runward): Promise<Call> {
  const login = await fetch(`${runward.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: who.email, password: who.password }),
  });
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(runward.url + path, {
      method,
      headers: { cookie, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body && JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  };
}
