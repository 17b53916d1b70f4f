import type { Server } from '../../../../api/types';

/** What a row can ask the page for. */
export interface RowRequests {
  environmentName: (id: string) => string;
  onReview: (id: string) => void;
  onEdit: (id: string) => void;
  onDelete: (server: Server) => void;
  onDiagnose: (server: Server) => void;
  onCheck: (server: Server) => void;
  /** Ids of servers that are being checked. */
  checking: ReadonlySet<string>;
  /** Why the member may do none of that; null: they may. Asked once for all rows. */
  refusal: string | null;
}
