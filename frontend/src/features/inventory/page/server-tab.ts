import type { ComponentType } from 'react';
import type { Server } from '../../../api/types';

export interface ServerTabProps {
  server: Server;
  /** Another reason why the member cannot change the server; null: none. */
  unless: string | null;
  onDiagnose: () => void;
}

export interface ServerTab {
  /** Value of the URL parameter. */
  value: string;
  label: string;
  content: ComponentType<ServerTabProps>;
}
