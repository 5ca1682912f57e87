export interface Candidate {
  value: string
  words?: string
}
