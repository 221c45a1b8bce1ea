import Amalgam
print("x")
