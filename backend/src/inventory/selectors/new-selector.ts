import { suggestName } from '../../common/text/nearest-name.js';
import { shortenText } from '../../common/text/shorten.js';
import { FACT_PREFIX, USABLE_FACTS } from '../facts/host-facts.js';
import { parseSelector, type Selector, SelectorError } from './selector.js';

/**
 * Parses a selector from a request, and rejects unknown facts: they would silently match no server. For stored
 * selectors use `parseSelector`.
 * @throws SelectorError
 */
export function parseNewSelector(text: string): Selector {
  const selector = parseSelector(text);
  for (const { key } of selector.requirements) {
    if (!key.startsWith(FACT_PREFIX)) continue;
    const name = key.slice(FACT_PREFIX.length);
    if ((USABLE_FACTS as readonly string[]).includes(name)) continue;
    const advice = suggestName(name, USABLE_FACTS, 'fact');
    const position = text.indexOf(key);
    throw new SelectorError(`There is no fact "${shortenText(name)}". ${advice} Character ${position + 1}.`, position);
  }
  return selector;
}
