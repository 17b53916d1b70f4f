import { Text } from '@mantine/core';
import type { PlanVariable } from '../../../api/types';
import { OutlineSection } from './OutlineSection';
import classes from './outline.module.css';

export function OutlineVariables({ variables }: { variables: readonly PlanVariable[] }) {
  return (
    <OutlineSection title="Variables">
      {variables.length === 0 ? (
        <Text c="dimmed">None. Commands receive the variables of the environment.</Text>
      ) : (
        <ul className={classes.list}>
          {variables.map((variable) => (
            <li key={variable.name} className="rw-wrap-anywhere">
              <Text component="div">
                <span className="rw-mono">{variable.name}</span>{' '}
                <Text span size="xs" c="dimmed">
                  {describeType(variable)}
                </Text>
              </Text>
              <Text size="xs" c="dimmed" component="div">
                {describeDefault(variable)}
                {variable.description && <div>{variable.description}</div>}
              </Text>
            </li>
          ))}
        </ul>
      )}
    </OutlineSection>
  );
}

const describeType = ({ type, required, choices = [] }: PlanVariable): string =>
  [type, ...(choices.length > 0 ? [choices.join(' | ')] : []), ...(required ? ['required'] : [])].join(', ');

function describeDefault({ type, default: value }: PlanVariable) {
  if (type === 'secret') return 'Secret, has no default';
  if (value === undefined || value === null) return 'No default';
  return (
    <>
      Default <span className="rw-mono">{Array.isArray(value) ? value.join(', ') : String(value)}</span>
    </>
  );
}
