import { Tooltip } from '@mantine/core';
import { cloneElement, type ReactElement } from 'react';
import type { Role } from '../api/types';
import { useAccess } from './useAccess';

interface Props {
  role: Role;
  /** Reason to disable the control for members who have the role; null = enabled. */
  unless?: string | null;
  children: ReactElement<{
    disabled?: boolean;
    'data-disabled'?: boolean;
    'aria-disabled'?: boolean;
    onClick?: unknown;
    href?: string;
  }>;
}

const refuse = (event: { preventDefault(): void }) => event.preventDefault();

/** Disables the control for members without the role. It stays visible, and shows the reason on hover and focus. */
export function Can({ role, unless = null, children }: Props) {
  const { missing } = useAccess();
  const reason = missing(role) ?? unless;
  if (reason === null) return children;
  // With `data-disabled` the control looks disabled but stays focusable, so that keyboard users can read the reason
  // too.
  return (
    <Tooltip label={reason} multiline maw={360} events={{ hover: true, focus: true, touch: true }}>
      {cloneElement(children, { 'data-disabled': true, 'aria-disabled': true, onClick: refuse })}
    </Tooltip>
  );
}
