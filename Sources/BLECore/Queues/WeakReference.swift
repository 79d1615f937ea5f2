/// A weak reference: in tables, in closures that outlive the object, and as the context of callbacks from C. A class, because a structure with
/// a weak member is costly to copy.
package final class WeakReference<Object: AnyObject> {
  package weak let object: Object?
  package init(_ object: Object) { self.object = object }
}
