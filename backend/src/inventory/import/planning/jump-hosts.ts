import { toCanonicalAddress } from '../../../common/network/host-address.js';
import type { ImportedJumpHost } from '../formats/texts/inventory-text.js';

export interface JumpServerCandidate {
  id: string;
  name: string;
  hostname: string;
  port: number;
  username: string;
  /** Server id in the source of the import; null: the server does not belong to that source. */
  externalId: string | null;
}

export type JumpLookupResult = JumpServerCandidate | { reason: string };

export const isFoundJumpServer = (found: JumpLookupResult): found is JumpServerCandidate => 'id' in found;

const toLower = (text: string) => text.toLowerCase();
const toAddressKey = (hostname: string, port: number) => `${toCanonicalAddress(hostname)} ${port}`;

class JumpServerIndex {
  private readonly byName = new Map<string, JumpServerCandidate>();
  private readonly byExternalId = new Map<string, JumpServerCandidate>();
  private readonly byAddress = new Map<string, JumpServerCandidate[]>();

  constructor(places: Iterable<JumpServerCandidate>) {
    for (const place of places) {
      this.byName.set(toLower(place.name), place);
      if (place.externalId !== null) this.byExternalId.set(place.externalId, place);
      const key = toAddressKey(place.hostname, place.port);
      const there = this.byAddress.get(key);
      if (there) there.push(place);
      else this.byAddress.set(key, [place]);
    }
  }

  findByNameOrId(word: string): JumpServerCandidate | undefined {
    return this.byExternalId.get(word) ?? this.byName.get(toLower(word));
  }

  findByAddress({ host, port, username }: ImportedJumpHost): JumpLookupResult | undefined {
    const isLogin = (place: JumpServerCandidate) => username === null || place.username === username;
    const named = this.byName.get(toLower(host));
    if (named && isLogin(named) && (port === null || named.port === port)) return named;
    const there = (this.byAddress.get(toAddressKey(host, port ?? 22)) ?? []).filter(isLogin);
    const [place] = there;
    if (place && there.length === 1) return place;
    if (place)
      return { reason: `Several servers have the address of the jump host "${shortenHost(host)}". Name one of them.` };
    return named
      ? { reason: `"${named.name}" has another port or login than the text names for this jump host.` }
      : undefined;
  }
}

export class JumpServerLookup {
  private readonly rooms: readonly JumpServerIndex[];

  /** @param known servers of the environment that the text does not name */
  constructor(entries: Iterable<JumpServerCandidate>, known: Iterable<JumpServerCandidate>) {
    this.rooms = [new JumpServerIndex(entries), new JumpServerIndex(known)];
  }

  lookUpByNameOrId(word: string): JumpLookupResult {
    return this.first((places) => places.findByNameOrId(word)) ?? toNotFoundResult(word);
  }

  /** Finds a server by name or address. Port and login must match too, if the text has them. */
  lookUpByAddress(jump: ImportedJumpHost): JumpLookupResult {
    return this.first((places) => places.findByAddress(jump)) ?? toNotFoundResult(jump.host);
  }

  private first(find: (places: JumpServerIndex) => JumpLookupResult | undefined): JumpLookupResult | undefined {
    const found = this.rooms.map(find);
    return found.find((each) => each && isFoundJumpServer(each)) ?? found.find((each) => each !== undefined);
  }
}

const shortenHost = (host: string) => (host.length > 100 ? `${host.slice(0, 99)}…` : host);

const toNotFoundResult = (host: string): JumpLookupResult => ({
  reason: `The jump host "${shortenHost(host)}" is not a server of this text or of the environment. Register it, or name it in the text, and import again.`,
});
