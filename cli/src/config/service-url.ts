import { usage } from '../terminal/failure.ts';

/**
 * Returns the normalised address of a service: scheme, host and base path. Errors never quote the input, because it may
 * contain a password.
 */
export function parseServiceUrl(text: string, from: string): string {
  const example = 'such as https://runward.example.org';
  if (!URL.canParse(text.trim())) throw usage(`${from} is not a valid address: write it ${example}.`);
  const url = new URL(text.trim());
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw usage(`${from} must begin with https:// or http://, ${example}.`);
  if (url.username || url.password)
    throw usage(`${from} must not contain credentials: use RUNWARD_TOKEN or \`runward login\`.`);
  if (url.search || url.hash) throw usage(`${from} must end with its host or path, without ? and #, ${example}.`);
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/api$/, '');
}
