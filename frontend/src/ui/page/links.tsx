import { Anchor, Button, Menu, NavLink, UnstyledButton } from '@mantine/core';
import type { AnchorProps, ButtonProps, NavLinkProps, UnstyledButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

type NativeAnchorProps<P> = P &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof P> & { ref?: Ref<HTMLAnchorElement> };

/** Mantine controls as router links with a real `href`, so that they can open in a new tab. */
export const AnchorLink = createLink(({ ref, ...props }: NativeAnchorProps<AnchorProps>) => (
  <Anchor ref={ref} {...props} />
));
export const ButtonLink = createLink(({ ref, ...props }: NativeAnchorProps<ButtonProps>) => (
  <Button component="a" ref={ref} {...props} />
));
export const NavItemLink = createLink(({ ref, ...props }: NativeAnchorProps<NavLinkProps>) => (
  <NavLink component="a" ref={ref} {...props} />
));
export const PlainLink = createLink(({ ref, ...props }: NativeAnchorProps<UnstyledButtonProps>) => (
  <UnstyledButton component="a" ref={ref} {...props} />
));
export const MenuItemLink = createLink(
  ({ ref, ...props }: NativeAnchorProps<{ leftSection?: React.ReactNode; children?: React.ReactNode }>) => (
    <Menu.Item component="a" ref={ref} {...props} />
  ),
);
