import { Radio, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ROLE_MEANINGS, ROLE_NAMES } from '../../access/roles';
import { ROLES } from '../../api/lists';
import type { Role } from '../../api/types';

interface Props {
  value: Role;
  onChange: (role: Role) => void;
  error?: ReactNode;
}

export function RoleField({ value, onChange, error }: Props) {
  return (
    <Radio.Group label="Role" value={value} onChange={(role) => onChange(role)} error={error}>
      <Stack gap={8} mt={6}>
        {ROLES.map((role) => (
          <Radio key={role} value={role} label={ROLE_NAMES[role]} description={ROLE_MEANINGS[role]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
