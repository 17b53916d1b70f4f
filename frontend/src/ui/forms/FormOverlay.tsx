import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core';
import { type InputEvent, useRef } from 'react';

const QUESTION = 'Close without saving? What you typed here is lost.';

/** Whatever closes it but its own buttons asks first, once somebody has typed into it. */
function useCloseGuard({ onClose, onInput }: Pick<ModalProps, 'onClose' | 'onInput'>) {
  const typed = useRef(false);
  return {
    onInput: (event: InputEvent<HTMLDivElement>) => {
      typed.current = true;
      onInput?.(event);
    },
    onClose: () => {
      if (!typed.current || window.confirm(QUESTION)) onClose();
    },
  };
}

/** A dialog to type into. */
export const FormModal = (props: ModalProps) => <Modal {...props} {...useCloseGuard(props)} />;

/** A drawer to type into. */
export const FormDrawer = (props: DrawerProps) => <Drawer {...props} {...useCloseGuard(props)} />;
