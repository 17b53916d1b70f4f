/** Step and host whose output is shown. */
export interface Selection {
  step?: string;
  host?: string;
}
