/** As the service makes them; also one that was cut at its end. */
const TOKEN = /runward_[0-9A-Za-z]{12}_\w+/g;
/** Shorter texts would take ordinary words out of what is told. */
const SHORTEST = 8;

/** What must not be printed, whatever text holds it: credentials that this process knows, and whatever looks like one. */
export class Secrets {
  readonly #known = new Set<string>();

  add(secret: string): void {
    if (secret.length >= SHORTEST) this.#known.add(secret);
  }

  without(text: string): string {
    let clean = text.replace(TOKEN, '‹token›');
    for (const secret of this.#known) clean = clean.replaceAll(secret, '‹token›');
    return clean;
  }
}
