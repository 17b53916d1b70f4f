import { Alert, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import type { ApiProblem } from '../../api/errors';
import { ErrorPanel } from '../feedback/ErrorPanel';

interface Props {
  /** Problem with errors that belong to no field. */
  problem: ApiProblem | null;
  fieldErrors?: number;
}

/** Errors that belong to no field, and a hint that some fields have errors. */
export function FormErrors({ problem, fieldErrors = 0 }: Props) {
  if (problem) return <ErrorPanel error={problem} />;
  if (fieldErrors === 0) return null;
  return (
    <Alert color="red" role="alert" icon={<IconAlertCircle aria-hidden />}>
      <Text>{fieldErrors === 1 ? 'Not saved: one field is' : `Not saved: ${fieldErrors} fields are`} invalid.</Text>
    </Alert>
  );
}
