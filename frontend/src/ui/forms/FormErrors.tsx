import { Alert, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import type { ApiProblem } from '../../api/errors';
import { ErrorPanel } from '../feedback/ErrorPanel';

interface Props {
  /** The part of the refusal that no field shows. */
  problem: ApiProblem | null;
  /** How many fields show an error of their own. */
  fieldErrors?: number;
}

/** Errors that belong to no field, and a hint to those that do. */
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
