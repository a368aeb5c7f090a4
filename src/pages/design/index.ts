// Components of all pages. The look of each is in assets/design.css.

export { useVisit, VisitContext } from './context.js';
export { Alert, Choice, Field, type FieldProps, Fields, PostForm } from './forms.js';
export { Page, PlaceDocument, SecretPage, TopBar } from './frame.js';
export { MapLink, type MapPoint, TileMap } from './map.js';
export { Period, periodOf } from './period.js';
export {
  Card,
  Chip,
  Copy,
  Counts,
  Empty,
  EndingLink,
  type Fact,
  Facts,
  FileLink,
  LinkLine,
  Plot,
  ProgressLine,
  Section,
  Split,
  stageOf,
  TextLink,
  Timeline,
  type TimelineEntry,
} from './pieces.js';
export { Addition, type Column, Listing, Pager, pageQuery, Table, type TableProps, TableSection } from './tables.js';
