import { Alert, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import type { ApiProblem } from '../../api/errors';
import { ErrorPanel } from '../feedback/ErrorPanel';

interface Props {
  /** What the form's fields do not show. */
  problem: ApiProblem | null;
  /** How many fields hold an error of their own. */
  fieldErrors?: number;
}

/** The refusals that belong to no single field, and a hint to those that do. */
export function FormErrors({ problem, fieldErrors = 0 }: Props) {
  if (problem) return <ErrorPanel error={problem} />;
  if (fieldErrors === 0) return null;
  return (
    <Alert color="red" role="alert" icon={<IconAlertCircle aria-hidden />}>
      <Text>
        {fieldErrors === 1 ? 'One field needs' : `${fieldErrors} fields need`} your attention; nothing was saved.
      </Text>
    </Alert>
  );
}
