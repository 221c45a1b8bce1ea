@_exported import Amalgam

/// Cases that only this library can express, in files beside this one.
var ownCases: [any Case.Type] { [InsertWatched.self, InsertObserved.self, TableFunction.self] }
