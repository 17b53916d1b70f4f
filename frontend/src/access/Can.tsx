import { Tooltip } from '@mantine/core';
import { cloneElement, type ReactElement } from 'react';
import type { Role } from '../api/types';
import { useAccess } from './useAccess';

interface Props {
  role: Role;
  children: ReactElement<{
    disabled?: boolean;
    'data-disabled'?: boolean;
    'aria-disabled'?: boolean;
    onClick?: unknown;
    href?: string;
  }>;
}

const refuse = (event: { preventDefault(): void }) => event.preventDefault();

/** A control that stays visible without the role, disabled and with the reason on hover and focus. */
export function Can({ role, children }: Props) {
  const { missing } = useAccess();
  const reason = missing(role);
  if (reason === null) return children;
  // `data-disabled` looks disabled and stays focusable, so that the reason can be read by keyboard too.
  return (
    <Tooltip label={reason} events={{ hover: true, focus: true, touch: true }}>
      {cloneElement(children, { 'data-disabled': true, 'aria-disabled': true, onClick: refuse })}
    </Tooltip>
  );
}
