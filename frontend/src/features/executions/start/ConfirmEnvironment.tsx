import { Stack, TextInput } from '@mantine/core';
import type { Environment } from '../../../api/types';
import { ProtectedNotice } from '../../../ui/environments/ProtectedNotice';

interface Props {
  environment: Environment;
  dryRun: boolean;
  typed: string;
  onType: (typed: string) => void;
}

/** Explains the protection. Asks for the environment's name, to prevent a start in the wrong environment. */
export function ConfirmEnvironment({ environment, dryRun, typed, onType }: Props) {
  return (
    <Stack gap="xs">
      <ProtectedNotice policy={environment} dryRun={dryRun} />
      {!dryRun && (
        <TextInput
          label={`Type ${environment.name} to confirm`}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => onType(event.currentTarget.value)}
        />
      )}
    </Stack>
  );
}
