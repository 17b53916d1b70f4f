import { Text } from '@mantine/core';
import { useSettledValue } from '../../../ui/forms/useSettledValue';
import type { Grammar, Names } from './names';
import { unknownNames } from './unknown-names';

interface Props {
  texts: readonly string[];
  names: Names;
  grammar: Grammar;
}

const DEBOUNCE_MS = 300;
const MOST = 5;

/** Reports unknown names in a field. They do not prevent saving, because the server decides. */
export function NameFaults({ texts, names, grammar }: Props) {
  const settled = useSettledValue(texts.join('\0'), DEBOUNCE_MS);
  const faults = [...new Set(settled.split('\0').flatMap((text) => unknownNames(text, names, grammar)))];
  return (
    <div role="status">
      {faults.slice(0, MOST).map((fault) => (
        <Text key={fault} size="xs" c="var(--rw-warn)" mt={2} className="rw-wrap-anywhere">
          {fault}
        </Text>
      ))}
      {faults.length > MOST && (
        <Text size="xs" c="var(--rw-warn)">
          And {faults.length - MOST} more.
        </Text>
      )}
    </div>
  );
}
