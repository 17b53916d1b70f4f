import { usage } from '../failure.ts';

/** The address of a service as it is stored and asked: scheme, host, and the path below which it lies. Never repeats what it refuses: it may hold a password. */
export function serviceUrl(text: string, from: string): string {
  const example = 'such as https://runward.example.org';
  if (!URL.canParse(text.trim())) throw usage(`${from} is no address of a service: write it ${example}.`);
  const url = new URL(text.trim());
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw usage(`${from} must begin with https:// or http://, ${example}.`);
  if (url.username || url.password)
    throw usage(`${from} must not hold a login: credentials are in RUNWARD_TOKEN or come from \`runward login\`.`);
  if (url.search || url.hash) throw usage(`${from} must end with its host or path, without ? and #, ${example}.`);
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/api$/, '');
}
