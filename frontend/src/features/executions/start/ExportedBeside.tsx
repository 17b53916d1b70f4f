import { Text } from '@mantine/core';
import type { ResolvedVariable } from '../../../api/types';
import { valueInWords } from './resolved-words';

const NAMED = 8;

/** What the environment exports to the commands without the plan's declaring it. */
export function ExportedBeside({ variables }: { variables: ResolvedVariable[] }) {
  const beside = variables.filter(({ declared }) => !declared);
  if (beside.length === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      The environment also exports{' '}
      {beside.slice(0, NAMED).map((variable, index) => (
        <span key={variable.name}>
          {index > 0 && ', '}
          <span className="rw-mono" style={{ overflowWrap: 'anywhere' }}>
            {variable.name}
            {variable.secret ? ' (secret)' : `=${valueInWords(variable).slice(0, 40)}`}
          </span>
        </span>
      ))}
      {beside.length > NAMED && ` and ${beside.length - NAMED} more`}.
    </Text>
  );
}
