import { Text } from '@mantine/core';
import type { ResolvedVariable } from '../../../api/types';
import { formatValue } from '../../../ui/variables/resolved-variable';

const NAMED = 8;

/** Lists variables of the environment that commands receive although the plan does not declare them. */
export function EnvironmentExports({ variables }: { variables: ResolvedVariable[] }) {
  const undeclaredVariables = variables.filter(({ declared, source }) => !declared && source !== null);
  if (undeclaredVariables.length === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      The environment also exports{' '}
      {undeclaredVariables.slice(0, NAMED).map((variable, index) => (
        <span key={variable.name}>
          {index > 0 && ', '}
          <span className="rw-mono rw-wrap-anywhere">
            {variable.name}
            {variable.secret ? ' (secret)' : `=${formatValue(variable).slice(0, 40)}`}
          </span>
        </span>
      ))}
      {undeclaredVariables.length > NAMED && ` and ${undeclaredVariables.length - NAMED} more`}.
    </Text>
  );
}
