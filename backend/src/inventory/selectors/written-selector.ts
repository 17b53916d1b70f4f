import { suggestName } from '../../common/variables/nearest-name.js';
import { shown } from '../../common/errors/shown.js';
import { FACT_PREFIX, USABLE_FACTS } from '../facts/host-facts.js';
import { parseSelector, type Selector, SelectorError } from './selector.js';

/**
 * Reads a selector that somebody has written just now: one that asks for a fact that there is not would match nothing, and
 * say nothing of it. What was stored before is read by `parseSelector`.
 * @throws SelectorError
 */
export function writtenSelector(text: string): Selector {
  const selector = parseSelector(text);
  for (const { key } of selector.requirements) {
    if (!key.startsWith(FACT_PREFIX)) continue;
    const name = key.slice(FACT_PREFIX.length);
    if ((USABLE_FACTS as readonly string[]).includes(name)) continue;
    const advice = suggestName(name, USABLE_FACTS, 'fact');
    const position = text.indexOf(key);
    throw new SelectorError(`There is no fact "${shown(name)}". ${advice} Character ${position + 1}.`, position);
  }
  return selector;
}
