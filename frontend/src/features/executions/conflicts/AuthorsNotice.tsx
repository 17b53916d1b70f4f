import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconUserQuestion } from '@tabler/icons-react';
import type { ApiProblem } from '../../../api/errors';
import { Authors } from '../review/Authors';

interface Props {
  problem: ApiProblem;
  pending: boolean;
  /** Starts the run with the content of these authors. */
  onAccept: (acceptAuthors: string) => void;
}

/** Content that a start refuses, or for which it needs a person's confirmation. */
export function AuthorsNotice({ problem, pending, onAccept }: Props) {
  const { acceptAuthors } = problem;
  return (
    <Alert
      color="yellow"
      role="alert"
      icon={<IconUserQuestion aria-hidden />}
      title={
        problem.code === 'unknown_authors'
          ? 'Git content of unknown authors is refused here'
          : 'Members without rights here changed what would run'
      }
    >
      <Stack gap="sm">
        <Text>
          {problem.code === 'unknown_authors'
            ? 'Nothing was started. Have these people added as members with these e-mail addresses, or ask an admin to allow unknown authors.'
            : 'Nothing was started. Review their changes. If you start the run, the audit trail names you as the person who accepted them.'}
        </Text>
        <Authors authors={problem.authors} />
        {acceptAuthors !== null && (
          <Group justify="flex-end">
            <Button variant="default" loading={pending} onClick={() => onAccept(acceptAuthors)}>
              Accept these changes and start
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}
