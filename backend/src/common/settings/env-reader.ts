import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { toParsableUrl } from '../network/database-hosts.js';
import { closest, distance } from 'fastest-levenshtein';
import { MASTER_KEY_BYTES, parseMasterKey } from '../crypto/master-key.js';

interface TextRule {
  readonly pattern?: RegExp;
  readonly max?: number;
  /** Text that follows "is not" in the message. */
  readonly be?: string;
}

interface IntegerRule<Default> {
  readonly min: number;
  readonly max: number;
  readonly defaultValue: Default;
  readonly be?: string;
}

const MIN_PASSWORD_CHARACTERS = 12;
const TOKEN_PATTERN = /^[!-~]{16,512}$/;
const MAX_SECRET_FILE_BYTES = 16 * 1024;
const NEAR_DISTANCE_SHARE = 0.5;

/** Reads environment variables and collects all faults, so that the operator can fix them together. */
export class EnvReader {
  readonly faults: string[] = [];

  private readonly env: NodeJS.ProcessEnv;

  constructor(
    env: NodeJS.ProcessEnv,
    private readonly cwd: string,
  ) {
    this.env = { ...env };
  }

  addFault(line: string): void {
    this.faults.push(line);
  }

  /**
   * For each secret variable whose value is in a file that `NAME_FILE` names, uses the file's text without the line end.
   * Messages never quote the text.
   */
  readSecretFiles(names: readonly string[]): void {
    for (const name of names) {
      const file = this.readVariable(`${name}_FILE`);
      if (file === undefined) continue;
      if (this.readVariable(name) !== undefined) this.addFault(`${name} and ${name}_FILE are both set; set only one.`);
      else this.env[name] = this.readSecretFile(`${name}_FILE`, resolve(this.cwd, file));
    }
  }

  private readSecretFile(variable: string, path: string): string | undefined {
    try {
      const { size } = statSync(path);
      if (size > MAX_SECRET_FILE_BYTES)
        this.addFault(`${variable}: ${path} has ${size} bytes; a secret has at most ${MAX_SECRET_FILE_BYTES}.`);
      else {
        const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
        if (text !== '') return text;
        this.addFault(`${variable}: ${path} is empty.`);
      }
    } catch (error) {
      this.addFault(`${variable}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
    }
    return undefined;
  }

  /** Reports each unknown variable with this prefix, and suggests the nearest known name. */
  refuseUnknownVariables(prefix: string, known: readonly string[]): void {
    for (const name of Object.keys(this.env).sort()) {
      if (!name.startsWith(prefix) || known.includes(name)) continue;
      const own = name.slice(prefix.length);
      const nearest = closest(
        own,
        known.map((one) => one.slice(prefix.length)),
      );
      const isNear = distance(own, nearest) <= Math.max(2, own.length * NEAR_DISTANCE_SHARE);
      this.addFault(`${name} is not a known setting${isNear ? `; did you mean ${prefix}${nearest}?` : '.'}`);
    }
  }

  readText(name: string, rule: TextRule = {}): string | undefined {
    const value = this.readVariable(name);
    if (value === undefined) return undefined;
    const fits = (rule.pattern?.test(value) ?? true) && value.length <= (rule.max ?? Infinity);
    if (!fits) this.refuseValue(name, value, rule.be ?? 'valid');
    return value;
  }

  readInteger<Default extends number | null | undefined>(name: string, rule: IntegerRule<Default>): number | Default {
    const value = this.readVariable(name);
    if (value === undefined) return rule.defaultValue;
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= rule.min && number <= rule.max) return number;
    this.refuseValue(name, value, rule.be ?? `a whole number from ${rule.min} to ${rule.max}`);
    return rule.defaultValue;
  }

  /** Reads comma-separated entries that must satisfy `fits`; empty = unset. */
  readList(name: string, fits: (entry: string) => boolean, be: string): string[] {
    const entries = this.readVariable(name)?.split(',') ?? [];
    const bare = entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
    for (const entry of bare) if (!fits(entry)) this.refuseValue(name, entry, be);
    return bare;
  }

  readChoice<T extends string>(name: string, choices: readonly T[], defaultValue: T): T {
    const value = this.readVariable(name);
    if (value === undefined) return defaultValue;
    const chosen = choices.find((one) => one === value);
    if (chosen === undefined) this.refuseValue(name, value, `one of ${choices.join(', ')}`);
    return chosen ?? defaultValue;
  }

  readWebAddress(name: string): string | undefined {
    const value = this.readVariable(name);
    if (value === undefined) return undefined;
    const url = URL.parse(value);
    const plain = url !== null && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
    if (plain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
    // The message does not quote an invalid URL, because it may contain a password.
    this.addFault(`${name} is not an address like https://runward.example.org (no user name, query or fragment).`);
    return undefined;
  }

  /** Reports a proxy that cannot be used. The message does not quote it, because it may contain a password. */
  requireProxy(name: string): void {
    const value = this.readVariable(name);
    if (value !== undefined && !/^https?:$/.test(URL.parse(value)?.protocol ?? ''))
      this.addFault(`${name} is not an address like http://proxy.example.org:3128.`);
  }

  /** Reads a PostgreSQL URL. Messages never quote it, because it may contain a password. */
  readDatabaseUrl(name: string): string | undefined {
    const value = this.readVariable(name);
    if (value === undefined) return undefined;
    const address = toParsableUrl(value);
    // PostgreSQL allows an empty host (socket in ?host=), but the URL parser does not.
    const isParsable = URL.canParse(address.replace(/^(\w+:\/\/(?:[^/]*@)?)\//, '$1localhost/'));
    if (/target_session_attrs=(read-only|standby|prefer-standby)/.test(address)) {
      this.addFault(`${name} asks for a read-only server; Runward needs target_session_attrs=read-write.`);
      return undefined;
    }
    if (/^postgres(ql)?:\/\//.test(value) && isParsable) return address;
    this.addFault(`${name} is not an address like postgres://user:password@host:5432/database.`);
    return undefined;
  }

  readMasterKey(name: string): string | undefined {
    const value = this.readVariable(name);
    if (value === undefined) return undefined;
    try {
      parseMasterKey(value);
      return value;
    } catch {
      this.addFault(
        `${name} is not ${MASTER_KEY_BYTES} bytes in base64. Generate one with: head -c 32 /dev/urandom | base64`,
      );
      return undefined;
    }
  }

  readPassword(name: string): string | undefined {
    const value = this.env[name] === '' ? undefined : this.env[name];
    if (value !== undefined && value.length < MIN_PASSWORD_CHARACTERS) {
      this.addFault(`${name} is shorter than ${MIN_PASSWORD_CHARACTERS} characters.`);
    }
    return value;
  }

  /** Reads a bearer token. Messages never quote it. */
  readSecretToken(name: string): string | undefined {
    const value = this.readVariable(name);
    if (value !== undefined && !TOKEN_PATTERN.test(value))
      this.addFault(`${name} is not 16 to 512 visible ASCII characters. Generate one with: openssl rand -base64 32`);
    return value;
  }

  private readVariable(name: string): string | undefined {
    const value = this.env[name]?.trim();
    return value === '' ? undefined : value;
  }

  private refuseValue(name: string, value: string, be: string): void {
    this.addFault(`${name}: ${JSON.stringify(value)} is not ${be}.`);
  }
}
