import { PasswordInput, type PasswordInputProps } from '@mantine/core';

/** Shortest password that the server takes, in characters. */
export const SHORTEST_PASSWORD = 12;

interface Props {
  password: PasswordInputProps;
  repeated: PasswordInputProps;
  /** Whose it is to become. */
  label?: string;
}

/** A new password, typed twice. */
export function PasswordFields({ password, repeated, label = 'New password' }: Props) {
  return (
    <>
      <PasswordInput
        label={label}
        description={`At least ${SHORTEST_PASSWORD} characters; a few unrelated words are easy to keep in mind.`}
        autoComplete="new-password"
        withAsterisk
        {...password}
      />
      <PasswordInput label="The same again" autoComplete="new-password" withAsterisk {...repeated} />
    </>
  );
}

/** Faults of a pair of passwords, before the server is asked. */
export const passwordFault = (password: string): string | null =>
  [...password].length < SHORTEST_PASSWORD ? `Use at least ${SHORTEST_PASSWORD} characters.` : null;
export const repeatFault = (repeated: string, password: string): string | null =>
  repeated === password ? null : 'The two are not the same.';
