/** Tokens in the format of the service, even if truncated. */
const TOKEN_PATTERN = /runward_[0-9A-Za-z]{12}_\w+/g;
/** Masking shorter secrets would also mask ordinary words. */
const MIN_SECRET_LENGTH = 8;

/** Removes credentials from all output: those that this process knows, and texts in the format of a token. */
export class Secrets {
  readonly #known = new Set<string>();

  add(secret: string): void {
    if (secret.length >= MIN_SECRET_LENGTH) this.#known.add(secret);
  }

  removeSecrets(text: string): string {
    let clean = text.replace(TOKEN_PATTERN, '‹token›');
    for (const secret of this.#known) clean = clean.replaceAll(secret, '‹token›');
    return clean;
  }
}
